/* The capsule over a ga_program, whose context is the ga_device it was compiled for. */
#ifndef GAPY_PROGRAM_H
#define GAPY_PROGRAM_H

#define GA_PROGRAM_CAPSULE "gpuarray.program"

#endif
