export const roleTabs = ['permissions', 'people', 'settings'] as const
