import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { App } from 'electron'
import { writeFileDurably } from '../shared/node/files.ts'

/** Start at login. The operating system holds the truth, because its own settings can change it too. */
export interface AutoLaunch {
  isEnabled: () => boolean
  set: (isEnabled: boolean) => void
}

/** Started with this, the shell stays in the tray. */
export const hiddenFlag = '--hidden'

/** macOS and Windows. */
export function loginItem(app: Pick<App, 'getLoginItemSettings' | 'setLoginItemSettings'>): AutoLaunch {
  const args = [hiddenFlag]
  return {
    isEnabled: () => app.getLoginItemSettings({ args }).openAtLogin,
    set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, args }),
  }
}

/** Linux desktops: an entry in the XDG autostart folder. */
export function autostartEntry(file: string, command: readonly string[]): AutoLaunch {
  return {
    isEnabled: () => existsSync(file),
    set: (isEnabled) => {
      if (!isEnabled) return rmSync(file, { force: true })
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileDurably(file, desktopEntry([...command, hiddenFlag]))
    },
  }
}

export function desktopEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Homeport',
    'Comment=Endpoint management for your network',
    `Exec=${command.map(quoteArgument).join(' ')}`,
    'Terminal=false',
    '',
  ].join('\n')
}

/** The Desktop Entry Specification escapes twice: as an argument of Exec, then as a string value. */
function quoteArgument(argument: string): string {
  const quoted = `"${argument.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`
  return quoted.replaceAll('\\', '\\\\')
}
