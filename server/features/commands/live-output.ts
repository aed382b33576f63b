import { LRUCache } from 'lru-cache'

export interface OutputPiece {
  sequence: number
  stream: 'stdout' | 'stderr'
  text: string
}

const maxCharacters = 1_000_000
/** What a piece costs beside its text, so that a flood of empty ones fills the buffer too. */
const pieceCharacters = 50
const maxCommands = 500

/** What running scripts have printed so far. The complete output arrives with the result; this is only for watching. */
export class LiveOutput {
  readonly #byCommand = new LRUCache<string, { pieces: OutputPiece[]; characters: number }>({ max: maxCommands })

  /** False when the piece came before or the buffer is full. */
  add(commandId: string, piece: OutputPiece): boolean {
    let output = this.#byCommand.get(commandId)
    if (!output) {
      output = { pieces: [], characters: 0 }
      this.#byCommand.set(commandId, output)
    }
    const last = output.pieces.at(-1)
    const characters = output.characters + piece.text.length + pieceCharacters
    if ((last && piece.sequence <= last.sequence) || characters > maxCharacters) return false
    output.pieces.push(piece)
    output.characters = characters
    return true
  }

  of(commandId: string): OutputPiece[] {
    return this.#byCommand.get(commandId)?.pieces ?? []
  }

  text(commandId: string, stream: OutputPiece['stream']): string {
    return this.of(commandId)
      .filter((piece) => piece.stream === stream)
      .map((piece) => piece.text)
      .join('')
  }

  forget(commandId: string): void {
    this.#byCommand.delete(commandId)
  }
}
