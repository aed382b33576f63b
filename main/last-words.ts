const keptCharacters = 8_192

/** Follows what a process writes to its error output and keeps the end of it. */
export function followErrors(stderr: NodeJS.ReadableStream | null, alsoTo?: (text: string) => void): () => string {
  let tail = ''
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-keptCharacters)
    alsoTo?.(text)
  })
  return () => tail
}

/** One sentence for a person about how a server ended, from its exit code and error output. */
export function describeEnd(code: number | null, errorOutput: string): string {
  const lines = errorOutput.split('\n').map((line) => line.trimEnd())
  const reason =
    lines.findLast((line) => /^(?:\w*Error(?: \[\w+\])?|Homeport could not start): /.test(line)) ??
    lines.findLast((line) => line !== '' && !line.startsWith('Node.js v'))
  const ended = code === null ? 'The server was killed' : `The server ended with code ${code}`
  return reason ? `${ended}: ${reason.slice(0, 500)}` : `${ended}.`
}
