/**
 * Where the appliance keeps its data unless HOMEPORT_DATA_DIR says otherwise: the operating system's folder for
 * application data. Shell and server must agree, so that `npm run admin` finds what the desktop made.
 */
export function defaultDataDir(platform: string, env: Record<string, string | undefined>, home: string): string {
  if (platform === 'win32') return `${env.APPDATA || `${home}\\AppData\\Roaming`}\\Homeport`
  if (platform === 'darwin') return `${home}/Library/Application Support/Homeport`
  return `${env.XDG_DATA_HOME || `${home}/.local/share`}/homeport`
}
