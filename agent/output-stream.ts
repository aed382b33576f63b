type StreamName = 'stdout' | 'stderr'

export interface OutputPiece {
  sequence: number
  stream: StreamName
  text: string
}

export interface OutputStream {
  push(stream: StreamName, text: string): void
  /** Sends what is left. */
  close(): void
}

const gatherMs = 100
/** At most 30 KB as UTF-8. */
const largestPiece = 10_000

/** Gathers a command's output into pieces worth sending, in the order it came, numbered from 0 across both streams. */
export function createOutputStream(send: (piece: OutputPiece) => void): OutputStream {
  let gathered: { stream: StreamName; text: string } | undefined
  let timer: NodeJS.Timeout | undefined
  let sequence = 0

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (!gathered) return
    const { stream, text } = gathered
    gathered = undefined
    for (const piece of pieces(text)) send({ sequence: sequence++, stream, text: piece })
  }

  return {
    push(stream, text) {
      if (gathered && gathered.stream !== stream) flush()
      gathered = { stream, text: (gathered?.text ?? '') + text }
      if (gathered.text.length >= largestPiece) flush()
      else timer ??= setTimeout(flush, gatherMs)
    },
    close: flush,
  }
}

function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + largestPiece, text.length)
    if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1] ?? '')) to -= 1 // no half characters
    yield text.slice(from, to)
    from = to
  }
}
