__managed__ int place = 4;
