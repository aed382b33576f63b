/** Whether it is worth sending; the service judges it. */
export const looksLikeMail = (text: string): boolean => /^\S+@\S+$/.test(text.trim())
