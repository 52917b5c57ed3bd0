export const unused = "real";
