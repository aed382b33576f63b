import type { DeviceCommand } from '../../../shared/api/commands.ts'
import type { OutputChunk } from '../../data/live-rows.ts'

type Stream = OutputChunk['stream']
export interface OutputRun {
  stream: Stream
  text: string
}

type WithOutput = Pick<DeviceCommand, 'result'> & { output: OutputChunk[] }

/** The streamed output, or that of the result if it has more: streaming is limited. */
export function outputRuns({ output, result }: WithOutput): OutputRun[] {
  const shown: OutputRun[] = [
    { stream: 'stdout', text: result?.stdout ?? '' },
    { stream: 'stderr', text: result?.stderr ?? '' },
  ]
  return lengthOf(output) < lengthOf(shown) ? shown.filter(({ text }) => text !== '') : joined(output)
}

const lengthOf = (runs: OutputRun[]) => runs.reduce((sum, { text }) => sum + text.length, 0)

function joined(pieces: OutputRun[]): OutputRun[] {
  const runs: { stream: Stream; texts: string[] }[] = []
  for (const { stream, text } of pieces) {
    const last = runs.at(-1)
    if (last?.stream === stream) last.texts.push(text)
    else runs.push({ stream, texts: [text] })
  }
  return runs.map(({ stream, texts }) => ({ stream, text: texts.join('') }))
}

/** The end of the output, at most `limit` characters from the start of a line, and how many were left out. */
export function tailOf(runs: OutputRun[], limit: number): { runs: OutputRun[]; hidden: number } {
  const total = lengthOf(runs)
  if (total <= limit) return { runs, hidden: 0 }
  const shown: OutputRun[] = []
  let room = limit
  for (const run of runs.toReversed()) {
    if (room === 0) break
    const cut = Math.max(0, run.text.length - room)
    const text = cut === 0 ? run.text : run.text.slice(lineStart(run.text, cut))
    shown.unshift({ stream: run.stream, text })
    room = cut === 0 ? room - run.text.length : 0
  }
  return { runs: shown, hidden: total - lengthOf(shown) }
}

/** The first start of a line at or after `from`; `from` itself if there is none. */
function lineStart(text: string, from: number): number {
  const newline = text.indexOf('\n', from)
  return newline === -1 || newline === text.length - 1 ? from : newline + 1
}
