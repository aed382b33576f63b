import { execFile } from 'node:child_process'
import { win32 } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export interface ToolOptions {
  timeoutMs?: number
}

const inSystem32 = new Set(['icacls.exe', 'net.exe', 'schtasks.exe', 'powershell.exe'])

/**
 * Where one of Windows' own tools lies. By its bare name the system would look in the working directory, too, where
 * anybody may have put something of that name.
 */
export function toolPath(file: string, environment = process.env, platform = process.platform): string {
  if (platform !== 'win32' || !inSystem32.has(file)) return file
  const system = win32.join(environment.SystemRoot ?? 'C:\\Windows', 'System32')
  return file === 'powershell.exe' ? win32.join(system, 'WindowsPowerShell', 'v1.0', file) : win32.join(system, file)
}

/**
 * Output of one of the platform's own tools, in its untranslated language.
 * @throws Error when it is missing, fails or takes longer than a minute
 */
export async function run(file: string, args: string[], options: ToolOptions = {}): Promise<string> {
  const { stdout } = await execute(toolPath(file), args, {
    env: { ...process.env, LC_ALL: 'C' },
    timeout: options.timeoutMs ?? 60_000,
    maxBuffer: 64 * 1024 * 1024,
    windowsHide: true,
  })
  return stdout
}

/** Does this tool, so called, succeed? */
export const succeeds = (file: string, args: string[]): Promise<boolean> =>
  run(file, args).then(
    () => true,
    () => false,
  )

/** Output of a PowerShell pipeline, as UTF-8 whatever the console's code page. */
export const runPowershell = (pipeline: string): Promise<string> =>
  run('powershell.exe', [
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    `[Console]::OutputEncoding = [Text.Encoding]::UTF8; ${pipeline}`,
  ])
