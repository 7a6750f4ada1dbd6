/* Instructions of which nvlink reads nothing in the SASS text but control bits (L1671, L1850): how their records begin and what else tells them
 * (WHOLE_GUARDS), the bits that are alike in all of them, and those that the record says. Included by cubin/recorded.c alone. */
/* clang-format off */
static const recorded_field whole_fields_0[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 102}, {24, 8, 118}, {32, 8, 158}, {40, 24, 224}, {67, 1, 68}, {68, 2, 56}, {73, 3, 48}, {84, 3, 52}, {0, 0, 0}};
static const recorded_field whole_fields_1[] = {{12, 3, 35}, {15, 1, 32}, {24, 8, 86}, {32, 8, 118}, {40, 24, 224}, {73, 2, 52}, {84, 3, 56}, {0, 0, 0}};
static const recorded_field whole_fields_2[] = {{12, 3, 35}, {15, 1, 32}, {24, 8, 102}, {32, 8, 158}, {40, 24, 224}, {64, 8, 142}, {73, 3, 52}, {84, 3, 56}, {0, 0, 0}};
static const recorded_field whole_fields_3[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 86}, {24, 8, 102}, {40, 24, 224}, {73, 2, 52}, {84, 3, 56}, {0, 0, 0}};
static const recorded_field whole_fields_4[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 102}, {24, 8, 118}, {32, 32, 224}, {81, 3, 91}, {0, 0, 0}};
static const recorded_field whole_fields_5[] = {{12, 3, 35}, {15, 1, 32}, {24, 8, 102}, {32, 8, 158}, {40, 24, 224}, {64, 8, 142}, {73, 3, 48}, {84, 3, 52}, {0, 0, 0}};
static const recorded_field whole_fields_6[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 86}, {24, 8, 102}, {32, 32, 224}, {64, 8, 118}, {72, 2, 57}, {74, 1, 60}, {75, 1, 59}, {78, 2, 53}, {0, 0, 0}};
static const recorded_field whole_fields_7[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 86}, {24, 8, 102}, {32, 8, 118}, {81, 3, 75}, {0, 0, 0}};
static const recorded_field whole_fields_8[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 102}, {32, 8, 118}, {81, 3, 91}, {0, 0, 0}};
static const recorded_field whole_fields_9[] = {{12, 3, 35}, {15, 1, 32}, {24, 6, 81}, {32, 8, 102}, {0, 0, 0}};
static const recorded_field whole_fields_10[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 86}, {24, 6, 97}, {0, 0, 0}};
static const recorded_field whole_fields_11[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 86}, {24, 8, 102}, {32, 32, 224}, {72, 2, 57}, {78, 2, 53}, {0, 0, 0}};
static const recorded_field whole_fields_12[] = {{12, 3, 35}, {15, 1, 32}, {77, 3, 123}, {81, 3, 91}, {87, 3, 107}, {0, 0, 0}};
static const recorded_field whole_fields_13[] = {{12, 3, 35}, {15, 1, 32}, {24, 8, 102}, {32, 8, 158}, {40, 24, 224}, {64, 8, 142}, {78, 1, 64}, {87, 3, 52}, {0, 0, 0}};
static const recorded_field whole_fields_14[] = {{12, 3, 35}, {15, 1, 32}, {24, 8, 102}, {32, 32, 224}, {72, 2, 58}, {76, 4, 53}, {81, 3, 91}, {0, 0, 0}};
static const recorded_field whole_fields_15[] = {{12, 3, 35}, {15, 1, 32}, {42, 12, 112}, {54, 4, 88}, {0, 0, 0}};
static const recorded_field whole_fields_16[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 118}, {24, 8, 142}, {32, 8, 174}, {40, 24, 224}, {64, 8, 190}, {73, 2, 55}, {78, 1, 62}, {81, 3, 107}, {0, 0, 0}};
static const recorded_field whole_fields_17[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 142}, {24, 8, 158}, {32, 8, 174}, {40, 8, 190}, {56, 1, 63}, {61, 3, 51}, {64, 8, 118}, {72, 1, 208}, {74, 2, 210}, {77, 1, 59}, {79, 1, 55}, {81, 3, 107}, {87, 1, 49}, {0, 0, 0}};
static const recorded_field whole_fields_18[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 118}, {24, 8, 142}, {32, 8, 158}, {40, 8, 174}, {56, 1, 59}, {61, 3, 51}, {64, 8, 102}, {72, 1, 192}, {74, 2, 194}, {79, 1, 55}, {81, 3, 91}, {87, 1, 49}, {0, 0, 0}};
static const recorded_field whole_fields_19[] = {{12, 3, 35}, {15, 1, 32}, {16, 5, 102}, {22, 2, 108}, {24, 8, 118}, {32, 8, 142}, {64, 8, 158}, {75, 1, 48}, {76, 1, 58}, {78, 1, 62}, {82, 1, 68}, {90, 1, 72}, {0, 0, 0}};
static const recorded_field whole_fields_20[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 86}, {24, 8, 102}, {32, 32, 224}, {64, 8, 142}, {72, 2, 57}, {74, 1, 60}, {75, 1, 59}, {78, 2, 53}, {0, 0, 0}};
static const recorded_field whole_fields_21[] = {{12, 3, 35}, {15, 1, 32}, {24, 8, 102}, {32, 8, 118}, {40, 8, 142}, {60, 1, 57}, {61, 3, 52}, {72, 1, 50}, {73, 3, 59}, {78, 1, 71}, {84, 3, 63}, {0, 0, 0}};
static const recorded_field whole_fields_22[] = {{12, 3, 35}, {15, 1, 32}, {16, 8, 102}, {24, 8, 118}, {32, 8, 158}, {40, 24, 224}, {64, 8, 174}, {73, 2, 55}, {0, 0, 0}};
static const recorded_field whole_fields_23[] = {{12, 3, 35}, {15, 1, 32}, {0, 0, 0}};
static const recorded_guard whole_guards_0[] = {{51, 1, 0x0}, {55, 1, 0x0}, {58, 8, 0x2}, {0, 0, 0}};
static const recorded_guard whole_guards_1[] = {{51, 1, 0x0}, {55, 1, 0x0}, {58, 8, 0x44}, {0, 0, 0}};
static const recorded_guard whole_guards_2[] = {{51, 1, 0x0}, {55, 1, 0x0}, {58, 8, 0x34}, {0, 0, 0}};
static const recorded_guard whole_guards_3[] = {{48, 4, 0x1}, {54, 2, 0x1}, {59, 1, 0x0}, {81, 4, 0x0}, {114, 3, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_4[] = {{48, 4, 0x1}, {54, 2, 0x1}, {59, 1, 0x0}, {81, 4, 0x0}, {114, 3, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_5[] = {{48, 4, 0x1}, {54, 2, 0x0}, {59, 1, 0x0}, {81, 4, 0x0}, {114, 3, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_6[] = {{55, 1, 0x0}, {59, 1, 0x0}, {60, 3, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_7[] = {{55, 1, 0x0}, {59, 1, 0x0}, {60, 3, 0x2}, {63, 4, 0x3}, {0, 0, 0}};
static const recorded_guard whole_guards_8[] = {{55, 1, 0x0}, {59, 1, 0x0}, {60, 3, 0x2}, {63, 4, 0x4}, {0, 0, 0}};
static const recorded_guard whole_guards_9[] = {{55, 1, 0x0}, {59, 1, 0x0}, {60, 3, 0x2}, {63, 4, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_10[] = {{48, 4, 0x1}, {54, 2, 0x1}, {59, 1, 0x0}, {82, 3, 0x0}, {97, 4, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_11[] = {{48, 4, 0x1}, {54, 2, 0x0}, {59, 1, 0x0}, {82, 3, 0x0}, {97, 4, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_12[] = {{53, 1, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_13[] = {{51, 1, 0x0}, {55, 1, 0x0}, {56, 3, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_14[] = {{51, 1, 0x0}, {55, 1, 0x0}, {56, 3, 0x2}, {59, 4, 0x4}, {0, 0, 0}};
static const recorded_guard whole_guards_15[] = {{56, 1, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_16[] = {{53, 2, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_17[] = {{0, 0, 0}};
static const recorded_guard whole_guards_18[] = {{53, 5, 0x8}, {0, 0, 0}};
static const recorded_guard whole_guards_19[] = {{53, 5, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_20[] = {{53, 5, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_21[] = {{53, 5, 0x19}, {0, 0, 0}};
static const recorded_guard whole_guards_22[] = {{53, 5, 0x18}, {0, 0, 0}};
static const recorded_guard whole_guards_23[] = {{53, 5, 0x10}, {0, 0, 0}};
static const recorded_guard whole_guards_24[] = {{55, 8, 0x40}, {65, 2, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_25[] = {{55, 8, 0x44}, {65, 2, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_26[] = {{55, 8, 0x4a}, {65, 2, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_27[] = {{55, 8, 0x46}, {65, 2, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_28[] = {{57, 1, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_29[] = {{57, 4, 0x4}, {63, 2, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_30[] = {{48, 1, 0x1}, {50, 1, 0x0}, {54, 1, 0x0}, {56, 1, 0x0}, {60, 3, 0x0}, {64, 1, 0x0}, {200, 2, 0x0}, {209, 1, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_31[] = {{48, 1, 0x1}, {50, 1, 0x0}, {54, 1, 0x0}, {56, 1, 0x0}, {60, 3, 0x2}, {64, 1, 0x0}, {200, 2, 0x0}, {209, 1, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_32[] = {{48, 1, 0x1}, {50, 1, 0x0}, {54, 1, 0x0}, {56, 1, 0x0}, {60, 3, 0x0}, {64, 1, 0x0}, {200, 2, 0x0}, {209, 1, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_33[] = {{48, 1, 0x0}, {49, 1, 0x0}, {50, 1, 0x0}, {54, 1, 0x0}, {56, 1, 0x0}, {60, 3, 0x0}, {184, 2, 0x0}, {193, 1, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_34[] = {{48, 1, 0x0}, {49, 1, 0x0}, {50, 1, 0x0}, {54, 1, 0x0}, {56, 1, 0x0}, {60, 3, 0x0}, {184, 2, 0x0}, {193, 1, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_35[] = {{48, 1, 0x1}, {50, 1, 0x0}, {54, 1, 0x0}, {56, 1, 0x0}, {60, 3, 0x0}, {184, 2, 0x0}, {193, 1, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_36[] = {{48, 1, 0x1}, {50, 1, 0x0}, {54, 1, 0x0}, {56, 1, 0x0}, {60, 3, 0x0}, {184, 2, 0x0}, {193, 1, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_37[] = {{49, 5, 0x2}, {59, 3, 0x0}, {63, 3, 0x0}, {69, 1, 0x0}, {97, 4, 0x3}, {107, 1, 0x0}, {115, 2, 0x0}, {138, 3, 0x0}, {153, 4, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_38[] = {{49, 5, 0x2}, {59, 3, 0x0}, {63, 3, 0x0}, {69, 1, 0x0}, {97, 4, 0x3}, {72, 1, 0x0}, {107, 1, 0x0}, {115, 2, 0x0}, {138, 3, 0x0}, {153, 4, 0x3}, {0, 0, 0}};
static const recorded_guard whole_guards_39[] = {{55, 2, 0x0}, {58, 1, 0x0}, {62, 1, 0x0}, {66, 5, 0x14}, {72, 2, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_40[] = {{55, 2, 0x2}, {58, 1, 0x0}, {62, 1, 0x0}, {66, 5, 0x14}, {72, 2, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_41[] = {{48, 6, 0x4}, {57, 2, 0x2}, {60, 1, 0x0}, {96, 1, 0x1}, {98, 3, 0x0}, {112, 5, 0x0}, {152, 1, 0x0}, {154, 3, 0x0}, {168, 1, 0x0}, {170, 3, 0x0}, {0, 0, 0}};
static const recorded_guard whole_guards_42[] = {{48, 6, 0x4}, {0, 0, 0}};
static const recorded_guard whole_guards_43[] = {{51, 1, 0x0}, {55, 1, 0x0}, {56, 3, 0x2}, {59, 4, 0x1}, {0, 0, 0}};
static const recorded_guard whole_guards_44[] = {{51, 1, 0x0}, {55, 1, 0x0}, {56, 3, 0x2}, {59, 4, 0x2}, {0, 0, 0}};
static const recorded_guard whole_guards_45[] = {{51, 1, 0x0}, {55, 1, 0x0}, {56, 3, 0x2}, {59, 4, 0x3}, {0, 0, 0}};
static const recorded_guard whole_guards_46[] = {{55, 1, 0x0}, {59, 1, 0x0}, {60, 3, 0x2}, {63, 4, 0x2}, {0, 0, 0}};
static const recorded_guard whole_guards_47[] = {{80, 2, 0x0}, {0, 0, 0}};
static const recorded_whole recorded_wholes[] = {
    {{0x02, 0x22, 0x32, 0x32}, whole_guards_0, whole_fields_0, {0x980, 0xc001100}},
    {{0x02, 0x22, 0x32, 0x32}, whole_guards_1, whole_fields_0, {0x980, 0xc015100}},
    {{0x02, 0x22, 0x32, 0x32}, whole_guards_2, whole_fields_0, {0x980, 0xc00f100}},
    {{0x02, 0x38, 0x20, 0x06}, whole_guards_3, whole_fields_1, {0x387, 0x800}},
    {{0x02, 0x38, 0x20, 0x06}, whole_guards_4, whole_fields_1, {0x387, 0x800}},
    {{0x02, 0x38, 0x20, 0x06}, whole_guards_5, whole_fields_1, {0x387, 0x0}},
    {{0x02, 0x38, 0x0e, 0x32}, whole_guards_6, whole_fields_2, {0x986, 0xc001100}},
    {{0x02, 0x38, 0x0e, 0x32}, whole_guards_7, whole_fields_2, {0x986, 0xc00f100}},
    {{0x02, 0x38, 0x0e, 0x32}, whole_guards_8, whole_fields_2, {0x986, 0xc015100}},
    {{0x02, 0x38, 0x0e, 0x32}, whole_guards_9, whole_fields_2, {0x986, 0xc00b100}},
    {{0x02, 0x22, 0x28, 0x06}, whole_guards_10, whole_fields_3, {0x983, 0x800}},
    {{0x02, 0x22, 0x28, 0x06}, whole_guards_11, whole_fields_3, {0x983, 0x0}},
    {{0x02, 0x29, 0x04, 0x06}, whole_guards_12, whole_fields_4, {0x812, 0x7803cff}},
    {{0x02, 0x38, 0x2a, 0x32}, whole_guards_13, whole_fields_5, {0x985, 0xc001100}},
    {{0x02, 0x38, 0x2a, 0x32}, whole_guards_14, whole_fields_5, {0x985, 0xc015100}},
    {{0x02, 0x38, 0x2a, 0x32}, whole_guards_43, whole_fields_5, {0x985, 0xc00b100}},
    {{0x02, 0x38, 0x2a, 0x32}, whole_guards_44, whole_fields_5, {0x985, 0xc00f100}},
    {{0x02, 0x38, 0x2a, 0x32}, whole_guards_45, whole_fields_5, {0x985, 0xc00f100}},
    {{0x02, 0x38, 0x0e, 0x32}, whole_guards_46, whole_fields_2, {0x986, 0xc00f100}},
    {{0x02, 0x0d, 0x1c, 0x0e}, whole_guards_15, whole_fields_6, {0x42b, 0x0}},
    {{0x01, 0x29, 0x00, 0x04}, whole_guards_16, whole_fields_7, {0x212, 0x7803cff}},
    {{0x01, 0x2b, 0x00, 0x0a}, whole_guards_12, whole_fields_8, {0xff000212, 0x78033ff}},
    {{0x01, 0x58, 0x00, 0x0a}, whole_guards_17, whole_fields_9, {0x356, 0x0}},
    {{0x01, 0x58, 0x02, 0x0a}, whole_guards_17, whole_fields_10, {0x355, 0x100000}},
    {{0x02, 0x0f, 0x12, 0x0e}, whole_guards_15, whole_fields_11, {0x828, 0x0}},
    {{0x01, 0x10, 0x06, 0x0a}, whole_guards_18, whole_fields_12, {0x80081c, 0x700170}},
    {{0x01, 0x10, 0x06, 0x0a}, whole_guards_19, whole_fields_12, {0x8f081c, 0x701f70}},
    {{0x01, 0x10, 0x06, 0x0a}, whole_guards_20, whole_fields_12, {0x8081c, 0x701070}},
    {{0x01, 0x10, 0x06, 0x0a}, whole_guards_21, whole_fields_12, {0xf2081c, 0x700577}},
    {{0x01, 0x10, 0x06, 0x0a}, whole_guards_22, whole_fields_12, {0x20081c, 0x700072}},
    {{0x01, 0x10, 0x06, 0x0a}, whole_guards_23, whole_fields_12, {0x2081c, 0x700470}},
    {{0x02, 0x4d, 0x24, 0x32}, whole_guards_24, whole_fields_13, {0x98e, 0xc12a100}},
    {{0x02, 0x4d, 0x24, 0x32}, whole_guards_25, whole_fields_13, {0x98e, 0xc12a300}},
    {{0x02, 0x4d, 0x24, 0x32}, whole_guards_26, whole_fields_13, {0x98e, 0xc12a700}},
    {{0x02, 0x4d, 0x24, 0x32}, whole_guards_27, whole_fields_13, {0x98e, 0xc12a500}},
    {{0x02, 0x10, 0x16, 0x0e}, whole_guards_28, whole_fields_14, {0x42a, 0x3f00000}},
    {{0x01, 0x47, 0x5a, 0x16}, whole_guards_47, whole_fields_15, {0xb1d, 0x10000}},
    {{0x02, 0x4e, 0x24, 0x32}, whole_guards_29, whole_fields_16, {0x3a9, 0x10a100}},
    {{0x02, 0x3f, 0x00, 0x26}, whole_guards_30, whole_fields_17, {0xff000000000f66, 0x8100000}},
    {{0x02, 0x3f, 0x00, 0x26}, whole_guards_31, whole_fields_17, {0xff000000000f66, 0x8101000}},
    {{0x02, 0x3f, 0x00, 0x26}, whole_guards_32, whole_fields_17, {0xff000000000f66, 0x8100200}},
    {{0x02, 0x3e, 0x00, 0x14}, whole_guards_33, whole_fields_18, {0xff000000000f60, 0x8100000}},
    {{0x02, 0x3e, 0x00, 0x14}, whole_guards_34, whole_fields_18, {0xff000000000f60, 0x8100200}},
    {{0x02, 0x3e, 0x00, 0x14}, whole_guards_35, whole_fields_18, {0x8ff000000000f60, 0x8100000}},
    {{0x02, 0x3e, 0x00, 0x14}, whole_guards_36, whole_fields_18, {0x8ff000000000f60, 0x8100200}},
    {{0x02, 0x5a, 0x08, 0x26}, whole_guards_37, whole_fields_19, {0x237, 0x400400}},
    {{0x02, 0x5a, 0x08, 0x26}, whole_guards_38, whole_fields_19, {0x237, 0x400400}},
    {{0x02, 0x0d, 0x1a, 0x0e}, whole_guards_15, whole_fields_20, {0x82b, 0x0}},
    {{0x02, 0x3d, 0x02, 0x26}, whole_guards_39, whole_fields_21, {0xff000000000f9d, 0x800a000}},
    {{0x02, 0x3d, 0x02, 0x26}, whole_guards_40, whole_fields_21, {0x8ff000000000f9d, 0x800a000}},
    {{0x02, 0x4e, 0x76, 0x32}, whole_guards_41, whole_fields_22, {0x38d, 0x0}},
    {{0x01, 0x49, 0x10, 0x0a}, whole_guards_42, whole_fields_23, {0x992, 0x0}},
    {{0x01, 0x47, 0x6c, 0x0a}, whole_guards_17, whole_fields_23, {0x918, 0x0}},
};
/* clang-format on */
