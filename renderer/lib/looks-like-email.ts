/** A rough check; the server decides. */
export const looksLikeEmail = (text: string): boolean => /^\S+@\S+$/.test(text.trim())
