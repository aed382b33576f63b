declare module 'sax' {
  export interface SAXParser {
    onopentag: (tag: { name: string }) => void
    onclosetag: (name: string) => void
    ontext: (text: string) => void
    oncdata: (text: string) => void
    onerror: (error: Error) => void
    write(chunk: string): SAXParser
    close(): SAXParser
  }
  const sax: { parser(strict: boolean): SAXParser }
  export default sax
}
