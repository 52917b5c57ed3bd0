export const shared: Record<string, number> = { own: 1 };
shared.own = 2;
