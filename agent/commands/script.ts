import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { type ScriptPayload, scriptPayload } from '../../shared/device/commands.ts'
import { reasonOf } from '../failure.ts'
import { makePrivateFolder } from '../files.ts'
import type { CommandResult } from '../journal.ts'
import { toolPath } from '../tool.ts'
import { type CommandContext, command, failed } from './command.ts'

const keptCharacters = 1_000_000
const killGraceMs = 2000
const pipeGraceMs = 2000

/** @param folder where scripts lie while they run; private, and emptied at start */
export function script(folder: string) {
  rmSync(folder, { recursive: true, force: true })
  makePrivateFolder(folder)
  return command({
    name: 'script',
    input: scriptPayload,
    async run(payload, context) {
      const place = mkdtempSync(join(folder, 'run-'))
      try {
        return await execute(payload, place, context)
      } finally {
        rmSync(place, { recursive: true, force: true, maxRetries: 3 })
      }
    },
  })
}

/** How to run a script file. PowerShell has to be told to write UTF-8 and to pass on the exit code. */
function invocation(language: ScriptPayload['language'], file: string): [string, string[]] {
  if (language === 'bash') return ['bash', [file]]
  const wrapped = `[Console]::OutputEncoding = [Text.Encoding]::UTF8; & '${file.replaceAll("'", "''")}'; exit $LASTEXITCODE`
  const shell = process.platform === 'win32' ? toolPath('powershell.exe') : 'pwsh'
  return [shell, ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-Command', wrapped]]
}

function writeScript({ language, content }: ScriptPayload, place: string): string {
  const file = join(place, language === 'bash' ? 'script.sh' : 'script.ps1')
  // Windows PowerShell takes a file without a byte order mark for the local code page.
  writeFileSync(file, language === 'bash' ? content : `\uFEFF${content}`, { mode: 0o600 })
  return file
}

async function execute(payload: ScriptPayload, place: string, context: CommandContext): Promise<CommandResult> {
  const [shell, args] = invocation(payload.language, writeScript(payload, place))
  // A group of its own, so that what the script started can be ended with it.
  const child = spawn(shell, args, {
    cwd: place,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const stdout = collect(child, 'stdout', context)
  const stderr = collect(child, 'stderr', context)
  const deadline = AbortSignal.timeout(payload.timeoutSeconds * 1000)
  const stop = AbortSignal.any([deadline, context.signal])
  let stopped: CommandResult | undefined
  const onStop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    stopped = context.signal.aborted
      ? { status: 'failed', error: reasonOf(context.signal.reason) }
      : { status: 'timeout', error: `stopped after ${payload.timeoutSeconds} seconds` }
    endGroup(child)
  }
  stop.addEventListener('abort', onStop, { once: true })
  if (stop.aborted) onStop()
  const ending = await endOf(child)
  stop.removeEventListener('abort', onStop)
  if (ending instanceof Error) {
    return failed(ending.code === 'ENOENT' ? `${shell} is not installed on this device` : ending.message)
  }
  return {
    ...(stopped ?? verdict(ending)),
    exitCode: ending.exitCode,
    stdout: stdout(),
    stderr: stderr(),
  }
}

interface Ending {
  exitCode: number | null
  signal: NodeJS.Signals | null
}

function verdict({ exitCode, signal }: Ending): CommandResult {
  if (signal) return { status: 'failed', error: `ended by signal ${signal}` }
  return { status: exitCode === 0 ? 'completed' : 'failed' }
}

/** Collects one stream as text, passing it on; what exceeds the limit is read and dropped. */
function collect(child: ChildProcess, name: 'stdout' | 'stderr', context: CommandContext): () => string {
  const decoder = new StringDecoder('utf8')
  let text = ''
  let isCut = false
  const take = (piece: string) => {
    if (piece === '') return
    const room = keptCharacters - text.length
    if (piece.length > room) isCut = true
    const kept = wholeCharacters(piece.slice(0, Math.max(0, room)))
    text += kept
    if (kept !== '') context.output(name, kept)
  }
  child[name]?.on('data', (bytes: Buffer) => take(decoder.write(bytes)))
  child[name]?.on('end', () => take(decoder.end()))
  return () => (isCut ? `${text}\n[output cut off after ${keptCharacters} characters]` : text)
}

/** Without half a character at its end. */
const wholeCharacters = (text: string) => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text)

/** Ends with the process; output that something it left behind still could write is not waited for. */
function endOf(child: ChildProcess): Promise<Ending | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    child.once('error', resolve)
    child.once('exit', (exitCode, signal) => {
      const giveUp = setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, pipeGraceMs)
      child.once('close', () => {
        clearTimeout(giveUp)
        resolve({ exitCode, signal })
      })
    })
  })
}

function endGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  if (process.platform === 'win32') {
    execFile('taskkill.exe', ['/T', '/F', '/PID', String(pid)], () => {})
    return
  }
  signalGroup(pid, 'SIGTERM')
  setTimeout(() => signalGroup(pid, 'SIGKILL'), killGraceMs)
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // the group is gone already
  }
}
