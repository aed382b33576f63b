import type { MenuItemConstructorOptions } from 'electron'
import type { Actions } from './actions.ts'

/** The application menu. It stays even where it is hidden, because the shortcuts of editing live in it. */
export function applicationMenu(platform: NodeJS.Platform, actions: Actions): MenuItemConstructorOptions[] {
  return [
    ...(platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'Server',
      submenu: [
        { label: 'Restart server', click: actions.restartServer },
        { label: 'Open logs', click: actions.openLogs },
        { label: 'Open data folder', click: actions.openDataFolder },
        // macOS has it in the application's own menu.
        ...(platform === 'darwin' ? [] : quitItems(actions)),
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'reload' },
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
  ]
}

const quitItems = (actions: Actions): MenuItemConstructorOptions[] => [
  { type: 'separator' },
  { label: 'Quit Homeport', accelerator: 'CommandOrControl+Q', click: actions.quit },
]
