__constant__ int place = 3;
