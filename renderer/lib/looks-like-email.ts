/** Whether it is worth sending; the service judges it. */
export const looksLikeEmail = (text: string): boolean => /^\S+@\S+$/.test(text.trim())
