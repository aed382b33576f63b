declare module 'seek-bzip' {
  const Bunzip: { decode(input: Uint8Array, output: { writeByte(byte: number): void }): void }
  export default Bunzip
}
