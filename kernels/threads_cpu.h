/* The CPU backend's standing threads, as the other files of the CPU build see them. */
#ifndef GA_THREADS_CPU_H
#define GA_THREADS_CPU_H

/* Threads that take part in a parallel call, the caller among them: at least 1. */
int ga_threads_count(void);

#endif
