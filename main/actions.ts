/** What a person can ask of the shell, from the tray, the menu, the console or a page of the shell's own. */
export interface Actions {
  openConsole: () => void
  copy: (text: string) => void
  setExposeOnLan: (isExposed: boolean) => void
  setStartAtLogin: (isEnabled: boolean) => void
  openLogs: () => void
  openDataFolder: () => void
  restartServer: () => void
  quit: () => void
}

/** The links on the shell's own pages (pages.ts). */
export function followLocalLink(link: string, actions: Actions): void {
  if (link === 'restart-server') actions.restartServer()
  if (link === 'open-logs') actions.openLogs()
  if (link === 'open-data-folder') actions.openDataFolder()
}
