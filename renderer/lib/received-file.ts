import { ApiError } from './api-error.ts'

/** Excel reads a CSV file as UTF-8 only with it. */
export const byteOrderMark = '\uFEFF'

/** A reply as a file. The total size is unknown while the server streams; `onBytes` gets the bytes so far. */
export async function receivedFile(
  response: Response,
  type: 'text/csv' | 'application/json',
  signal: AbortSignal,
  onBytes: (bytes: number) => void = () => {},
): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  try {
    // A response that breaks off throws here and never becomes a shorter file.
    for await (const piece of piecesOf(response)) {
      pieces.push(piece)
      bytes += piece.byteLength
      onBytes(bytes)
    }
  } catch (error) {
    throw signal.aborted ? error : new ApiError(0, 'network')
  }
  return new Blob(type === 'text/csv' ? [byteOrderMark, ...pieces] : pieces, { type })
}

async function* piecesOf({ body }: Response) {
  const reader = body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value
}
