import { renameSync, writeFileSync } from 'node:fs'

/**
 * Loaded into the server under test: how much it works at most before it looks whether somebody waits. Counts time of the
 * processor, so that what other programs take of a busy machine is not counted.
 */
const file = process.env.HOLD_FILE ?? ''
let before = process.threadCpuUsage()
let longest = 0

setInterval(() => {
  const now = process.threadCpuUsage()
  longest = Math.max(longest, (now.user - before.user + now.system - before.system) / 1000)
  before = now
}, 1).unref()

process.on('SIGUSR2', () => {
  writeFileSync(`${file}.new`, String(longest))
  renameSync(`${file}.new`, file)
  longest = 0
})
