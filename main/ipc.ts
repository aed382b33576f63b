import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron'
import { z } from 'zod'
import { channels } from '../shared/bridge.ts'
import { ssoTrustDocument } from '../shared/sso-trust-document.ts'
import type { Actions } from './actions.ts'
import type { Desktop } from './desktop.ts'
import type { TrustFileEditor } from './trust-file.ts'

/** The shell's end of the bridge. Every call must come from the console itself and is parsed before it acts. */

type Sender = Pick<IpcMainInvokeEvent, 'senderFrame'>

/** Only the top frame of the server's own origin: not a frame inside it, not a page the window strayed to. */
export function isConsole({ senderFrame }: Sender, origin: string | undefined): boolean {
  return origin !== undefined && senderFrame !== null && senderFrame.parent === null && senderFrame.origin === origin
}

export interface Answerers {
  desktop: Desktop
  actions: Actions
  trustFile: TrustFileEditor
}

export function answerConsole(ipcMain: Pick<IpcMain, 'handle'>, { desktop, actions, trustFile }: Answerers): void {
  function on<T extends z.ZodType>(channel: string, input: T, act: (value: z.infer<T>) => unknown): void {
    ipcMain.handle(channel, (event, ...values: unknown[]) => {
      if (!isConsole(event, desktop.origin())) throw new Error('Refused: not the console')
      return act(input.parse(values))
    })
  }
  const nothing = z.tuple([])
  const flag = z.tuple([z.boolean()])
  on(channels.getState, nothing, () => desktop.view())
  on(channels.setExposeOnLan, flag, ([isExposed]) => actions.setExposeOnLan(isExposed))
  on(channels.setStartAtLogin, flag, ([isEnabled]) => actions.setStartAtLogin(isEnabled))
  on(channels.openLogs, nothing, () => actions.openLogs())
  on(channels.openDataFolder, nothing, () => actions.openDataFolder())
  on(channels.restartServer, nothing, () => actions.restartServer())
  on(channels.readTrust, nothing, () => trustFile.read())
  on(channels.importAuthority, nothing, () => trustFile.importAuthority())
  on(channels.saveTrust, z.tuple([ssoTrustDocument, z.string()]), ([document, version]) =>
    trustFile.save(document, version),
  )
}

/** Sends the console in `contents` the current state; any other page gets nothing. */
export function tellConsole(contents: Pick<WebContents, 'mainFrame' | 'send'>, desktop: Desktop): void {
  if (isConsole({ senderFrame: contents.mainFrame }, desktop.origin())) contents.send(channels.state, desktop.view())
}
