// The programs of the core, as ELF files.
.macro program name, file
    .global \name, \name\()_end
    .balign 4
    \name: .incbin "\file"
    \name\()_end:
.endm

.section .rodata
program scale_elf, "scale.elf"
program histogram_elf, "histogram.elf"
