import { join } from 'node:path'
import { run } from './tool.ts'

export type PowerAction = 'reboot' | 'shutdown'
export type PowerSwitch = (action: PowerAction, delayMinutes: number) => Promise<void>

const notice = 'An administrator asked for this through Homeport.'

/** The platform's own tool and its arguments. */
export function powerTool(action: PowerAction, delayMinutes: number, platform = process.platform): [string, string[]] {
  if (platform === 'win32') {
    const tool = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'shutdown.exe')
    return [tool, [action === 'reboot' ? '/r' : '/s', '/t', String(delayMinutes * 60), '/c', notice]]
  }
  const halt = platform === 'darwin' ? '-h' : '-P'
  return ['shutdown', [action === 'reboot' ? '-r' : halt, `+${delayMinutes}`, notice]]
}

const patienceMs = 5000

/** Returns once the system has taken the order. */
export const switchPower: PowerSwitch = async (action, delayMinutes) => {
  const [tool, args] = powerTool(action, delayMinutes)
  // An old shutdown(8) keeps running until the time has come: not having failed by then counts as success.
  const order = run(tool, args, { timeoutMs: 0 })
  order.catch(() => {})
  await Promise.race([order, new Promise((resolve) => setTimeout(resolve, patienceMs).unref())])
}
