/** The key of shortcuts, as it is labeled on the keyboard at hand. */
export const modKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl'
