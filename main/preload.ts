import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import { bridgeName, channels, type DesktopBridge, type DesktopState } from '../shared/bridge.ts'

const bridge: DesktopBridge = {
  getState: () => ipcRenderer.invoke(channels.getState),
  setExposeOnLan: (isExposed) => ipcRenderer.invoke(channels.setExposeOnLan, isExposed),
  setStartAtLogin: (isEnabled) => ipcRenderer.invoke(channels.setStartAtLogin, isEnabled),
  openLogs: () => ipcRenderer.invoke(channels.openLogs),
  openDataFolder: () => ipcRenderer.invoke(channels.openDataFolder),
  restartServer: () => ipcRenderer.invoke(channels.restartServer),
  readTrust: () => ipcRenderer.invoke(channels.readTrust),
  importAuthority: () => ipcRenderer.invoke(channels.importAuthority),
  saveTrust: (document, version) => ipcRenderer.invoke(channels.saveTrust, document, version),
  onState: (listener) => {
    // The event itself would hand the page a way to send on any channel.
    const hear = (_event: IpcRendererEvent, state: DesktopState) => listener(state)
    ipcRenderer.on(channels.state, hear)
    return () => ipcRenderer.off(channels.state, hear)
  },
}

contextBridge.exposeInMainWorld(bridgeName, bridge)
