import { join } from 'node:path'
import type { Page } from 'playwright'
import { type TrustFileEditor, trustFileEditor } from '../../main/trust-file.ts'
import { examineTrust } from '../../server/features/sso/outbound/index.ts'
import { bridgeName, type DesktopBridge } from '../../shared/bridge.ts'
import { keepFromReuse } from './context.ts'

/** What the person at the machine does in the dialogs of the operating system. */
interface Person {
  consents: boolean
  chooses: string | undefined
}

/**
 * Turns a page into the window of the desktop shell as far as it edits `sso-trust.json`: the editor and the rules are
 * real, `person` answers the dialogs, and a restart is only announced.
 */
export async function becomeDesktopWindow(page: Page, dataDir: string, person: Person): Promise<void> {
  keepFromReuse(page)
  const sso = { trustFile: join(dataDir, 'sso-trust.json'), isTrustFileNamed: false, trustJson: undefined }
  const editor = trustFileEditor({
    examine: async (draft) => examineTrust({ port: 8443, dataDir, sso }, Date.now(), draft),
    chooseCertificate: async () => person.chooses,
    confirm: async () => person.consents,
    restartServer: () => void page.evaluate(() => dispatchEvent(new Event('server-is-ready'))),
  })
  await page.exposeFunction('askShell', (act: keyof TrustFileEditor, args: unknown[]) =>
    (editor[act] as (...args: unknown[]) => unknown)(...args),
  )
  await page.addInitScript((name) => {
    const ask = (act: string, ...args: unknown[]) =>
      (window as unknown as { askShell: (act: string, args: unknown[]) => Promise<never> }).askShell(act, args)
    const bridge: Pick<DesktopBridge, 'readTrust' | 'importAuthority' | 'saveTrust' | 'onState'> = {
      readTrust: () => ask('read'),
      importAuthority: () => ask('importAuthority'),
      saveTrust: (document, version) => ask('save', document, version),
      onState: (listener) => {
        const hear = () => listener({ server: 'ready', addresses: [], isExposedOnLan: true, startsAtLogin: false })
        addEventListener('server-is-ready', hear)
        return () => removeEventListener('server-is-ready', hear)
      },
    }
    Object.assign(window, { [name]: bridge })
  }, bridgeName)
}
