import { existsSync } from 'node:fs'
import si from 'systeminformation'
import { succeeds } from '../tool.ts'

/** Facts that rarely change and take a process to find out. */
export interface Circumstances {
  lastUser?: string
  pendingReboot?: boolean
  battery?: { percent: number; isCharging: boolean; acConnected: boolean }
}

export async function readCircumstances(): Promise<Circumstances> {
  const [users, pendingReboot, battery] = await Promise.all([si.users(), readPendingReboot(), si.battery()])
  return {
    lastUser: lastOf(users),
    pendingReboot,
    ...(battery.hasBattery && {
      battery: { percent: battery.percent, isCharging: battery.isCharging, acConnected: battery.acConnected },
    }),
  }
}

/** Who signed in last among those signed in now. */
export function lastOf(users: Pick<si.Systeminformation.UserData, 'user' | 'date' | 'time'>[]): string | undefined {
  const [latest] = users.toSorted((a, b) => `${b.date} ${b.time}`.localeCompare(`${a.date} ${a.time}`))
  return latest?.user || undefined
}

const rebootKeys = [
  'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\RebootPending',
  'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\WindowsUpdate\\Auto Update\\RebootRequired',
]

async function readPendingReboot(): Promise<boolean> {
  if (process.platform === 'linux') return existsSync('/run/reboot-required') || existsSync('/var/run/reboot-required')
  if (process.platform !== 'win32') return false
  return (await Promise.all(rebootKeys.map((key) => succeeds('reg.exe', ['query', key])))).includes(true)
}
