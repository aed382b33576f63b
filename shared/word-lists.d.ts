/** Single word lists of the packages, whose types only declare them together. */
declare module '@zxcvbn-ts/language-*' {
  const words: string[]
  export default words
}

declare module '@zxcvbn-ts/language-en/dist/translations.mjs' {
  export { translations as default } from '@zxcvbn-ts/language-en'
}
