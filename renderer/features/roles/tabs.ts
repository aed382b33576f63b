export const roleTabs = ['permissions', 'people', 'name'] as const
