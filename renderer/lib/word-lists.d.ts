/** Single lists of words of the packages, which declare only all of them together. */
declare module '@zxcvbn-ts/language-*' {
  const words: string[]
  export default words
}
