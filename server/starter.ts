import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { isProcessRunning } from './lib/is-process-running.ts'

/** How often is looked whether npm is still there, ms. */
const lookMs = 500

/**
 * `npm start` says which process started the server, by `--started-by`. npm passes SIGINT and SIGTERM on, but not
 * SIGHUP, and says nothing when it is killed: the server has to notice by itself. Started in any other way, it does
 * not care who started it.
 */
export function watchStarter(args: string[], onGone: () => void): void {
  // Not strict: Electron may add arguments of its own.
  const { values } = parseArgs({ args, options: { 'started-by': { type: 'string' } }, strict: false })
  const starter = values['started-by']
  if (starter === 'npm') watchNpmOnWindows(onGone)
  // A process that loses its parent gets another one.
  else if (/^\d+$/.test(String(starter))) lookUntil(() => process.ppid !== Number(starter), onGone)
}

/** The shell stays between npm and the server there, and outlives npm. */
function watchNpmOnWindows(onGone: () => void): void {
  const watched = [process.ppid]
  lookUntil(() => !watched.every(isProcessRunning), onGone)
  parentOnWindows(process.ppid).then(
    (npm) => watched.push(npm),
    // PowerShell may be forbidden: then only the shell is watched.
    () => {},
  )
}

async function parentOnWindows(pid: number): Promise<number> {
  const query = `(Get-CimInstance Win32_Process -Filter 'ProcessId = ${pid}').ParentProcessId`
  const { stdout } = await promisify(execFile)('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', query])
  const parent = Number(stdout)
  if (!Number.isInteger(parent) || parent <= 0) throw new Error(`Windows knows no parent of ${pid}`)
  return parent
}

function lookUntil(isOver: () => boolean, then: () => void): void {
  const timer = setInterval(() => {
    if (!isOver()) return
    clearInterval(timer)
    then()
  }, lookMs)
  timer.unref()
}
