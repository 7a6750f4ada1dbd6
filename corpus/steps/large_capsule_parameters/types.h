/* More than 4 KB: ptxas tells of each parameter of such a kernel by attribute 0x45 instead of 0x17. */
struct Page {
  int words[1200];
  char last;
};
struct Book {
  Page pages[3];
};
