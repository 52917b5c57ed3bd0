export const standard = 5;
