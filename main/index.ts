import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} from 'electron'
import { defaultDataDir } from '../shared/data-dir.ts'
import { toError } from '../shared/thrown.ts'
import { type Actions, followLocalLink } from './actions.ts'
import { type AutoLaunch, autostartEntry, hiddenFlag, loginItem } from './auto-launch.ts'
import { createDesktop, type Desktop } from './desktop.ts'
import { answerConsole, tellConsole } from './ipc.ts'
import { keyringKey } from './key-wrapping.ts'
import { applicationMenu } from './menu.ts'
import { hardenContents, hardenSession, type Rules } from './security.ts'
import { serverEnv } from './server-env.ts'
import { type ServerState, type Supervisor, superviseServer } from './server-process.ts'
import { openSettings, type SettingsFile } from './settings.ts'
import { openShellLog } from './shell-log.ts'
import { trayMenu, trayTooltip } from './tray.ts'
import { type TrustFileEditor, trustFileEditor } from './trust-file.ts'
import { utilityServer } from './utility-server.ts'
import { type ConsoleWindow, consoleWindow, fittingBounds, windowOptions } from './window.ts'

/** The desktop shell: the order of start-up, nothing else. This file and preload.ts alone touch Electron's objects. */

app.enableSandbox()
// Chromium's profile stays out of the appliance's data, and the wrapped key out of its backups.
const userData = join(app.getPath('appData'), 'homeport-desktop')
mkdirSync(userData, { recursive: true, mode: 0o700 })
app.setPath('userData', userData)

const dataDir = resolve(process.env.HOMEPORT_DATA_DIR || defaultDataDir(process.platform, process.env, homedir()))
const logs = join(dataDir, 'logs')
const icons = join(app.getAppPath(), 'installer/icons')
let isQuitting = false

if (app.requestSingleInstanceLock()) {
  app.whenReady().then(start).catch(giveUp)
} else {
  app.quit()
}

function start(): void {
  const settings = openSettings(join(userData, 'settings.json'))
  const desktop = createDesktop({
    settings,
    autoLaunch: autoLaunch(),
    supervise: (onState) => supervise(settings, onState),
  })
  const actions: Actions = {
    openConsole: () => view.show(),
    copy: (text) => clipboard.writeText(text),
    setExposeOnLan: desktop.setExposeOnLan,
    setStartAtLogin: desktop.setStartAtLogin,
    openLogs: () => openFolder(logs),
    openDataFolder: () => openFolder(dataDir),
    restartServer: desktop.restartServer,
    quit: () => app.quit(),
  }
  harden(desktop, actions)
  answerConsole(ipcMain, { desktop, actions, trustFile: trustFile(desktop) })
  Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu(process.platform, actions)))
  const view = openWindow(desktop, settings)
  const drawTray = openTray(desktop, actions)
  desktop.onChange(() => {
    view.update()
    drawTray()
    tellConsole(view.contents, desktop)
  })

  app.on('second-instance', view.show)
  app.on('activate', view.show)
  stopServerBeforeQuit(desktop)
  if (!startsHidden()) view.show()
}

function supervise(settings: SettingsFile, onState: (state: ServerState) => void): Supervisor {
  const log = openShellLog(logs)
  const env = async () =>
    serverEnv({
      base: process.env,
      dataDir,
      isExposedOnLan: settings.get().exposeOnLan,
      keyringKey: await keyringKey(safeStorage, join(userData, 'keyring-key')),
    })
  return superviseServer({
    start: utilityServer({
      fork: utilityProcess.fork,
      entry: join(import.meta.dirname, '../server/index.js'),
      env,
      log,
    }),
    onState: (state) => {
      log(`The server is ${state.phase}. ${'lastError' in state ? (state.lastError ?? '') : ''}`)
      onState(state)
    },
  })
}

function harden(desktop: Desktop, actions: Actions): void {
  const rules: Rules = {
    origin: desktop.origin,
    pinned: desktop.pinned,
    browserOrigin: desktop.browserOrigin,
    openOutside: (url) => void shell.openExternal(url),
    onLocalLink: (action) => followLocalLink(action, actions),
  }
  hardenSession(session.defaultSession, rules)
  app.on('web-contents-created', (_event, contents) => hardenContents(contents, rules))
}

function trustFile({ examineTrust, restartServer }: Desktop): TrustFileEditor {
  const filters = [{ name: 'Certificates', extensions: ['pem', 'crt', 'cer', 'der'] }]
  return trustFileEditor({
    examine: examineTrust,
    chooseCertificate: async () => (await dialog.showOpenDialog({ properties: ['openFile'], filters })).filePaths[0],
    confirm: async (message, detail) => {
      const buttons = ['Save and restart', 'Cancel']
      const { response } = await dialog.showMessageBox({ type: 'question', message, detail, buttons, cancelId: 1 })
      return response === 0
    },
    restartServer,
  })
}

function openWindow(desktop: Desktop, settings: SettingsFile): ConsoleWindow {
  const workAreas = screen.getAllDisplays().map(({ workArea }) => workArea)
  const place = fittingBounds(settings.get().window?.bounds, workAreas)
  const preload = join(import.meta.dirname, 'preload.cjs')
  const window = new BrowserWindow(windowOptions(place, preload, join(icons, 'linux/256x256.png')))
  return consoleWindow({ ...desktop, window, settings, isQuitting: () => isQuitting })
}

function openTray(desktop: Desktop, actions: Actions): () => void {
  const file = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  const tray = new Tray(nativeImage.createFromPath(join(icons, file)))
  const draw = () => {
    tray.setToolTip(trayTooltip(desktop.view()))
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(desktop.view(), actions)))
  }
  tray.on('double-click', actions.openConsole)
  draw()
  return draw
}

function stopServerBeforeQuit(desktop: Desktop): void {
  let isStopped = false
  app.on('before-quit', (event) => {
    isQuitting = true
    if (isStopped) return
    event.preventDefault()
    desktop
      .stop()
      .then(() => {
        isStopped = true
        app.quit()
      })
      .catch(giveUp)
  })
}

function autoLaunch(): AutoLaunch {
  if (process.platform !== 'linux') return loginItem(app)
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  const program = process.env.APPIMAGE ?? process.execPath
  return autostartEntry(
    join(config, 'autostart/homeport.desktop'),
    app.isPackaged ? [program] : [program, app.getAppPath()],
  )
}

const startsHidden = () =>
  process.argv.includes(hiddenFlag) || (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin)

async function openFolder(folder: string): Promise<void> {
  const problem = await shell.openPath(folder)
  if (problem) dialog.showErrorBox('The folder cannot be opened', `${folder}\n\n${problem}`)
}

function giveUp(error: unknown): void {
  dialog.showErrorBox('Homeport cannot start', toError(error).message)
  app.exit(1)
}
