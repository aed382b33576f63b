import type { MenuItemConstructorOptions } from 'electron'
import type { DesktopState } from '../shared/bridge.ts'
import type { Actions } from './actions.ts'

/** The tray menu, as data. */

const sentences: Record<DesktopState['server'], string> = {
  starting: 'Homeport is starting…',
  ready: 'Homeport is running',
  restarting: 'Homeport stopped and will be started again',
  stopped: 'Homeport is stopping…',
}

export const trayTooltip = ({ server }: DesktopState) => sentences[server]

export function trayMenu(state: DesktopState, actions: Actions): MenuItemConstructorOptions[] {
  return [
    { label: sentences[state.server], enabled: false },
    ...(state.lastError ? [{ label: shorten(state.lastError), enabled: false }] : []),
    { label: 'Open console', click: actions.openConsole },
    { type: 'separator' },
    ...addressItems(state, actions),
    {
      label: 'Reachable from the network',
      type: 'checkbox',
      checked: state.isExposedOnLan,
      click: () => actions.setExposeOnLan(!state.isExposedOnLan),
    },
    {
      label: 'Start at login',
      type: 'checkbox',
      checked: state.startsAtLogin,
      click: () => actions.setStartAtLogin(!state.startsAtLogin),
    },
    { type: 'separator' },
    { label: 'Open logs', click: actions.openLogs },
    { label: 'Open data folder', click: actions.openDataFolder },
    { label: 'Restart server', enabled: state.server !== 'stopped', click: actions.restartServer },
    { type: 'separator' },
    { label: 'Quit Homeport', click: actions.quit },
  ]
}

function addressItems({ addresses }: DesktopState, { copy }: Actions): MenuItemConstructorOptions[] {
  if (addresses.length === 0) return []
  return [
    {
      label: 'Copy address',
      submenu: addresses.map((address) => ({ label: address, click: () => copy(address) })),
    },
  ]
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
