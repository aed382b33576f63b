export interface ServerEnvironment {
  base: NodeJS.ProcessEnv
  dataDir: string
  isExposedOnLan: boolean
  keyringKey: string | undefined
}

/** The environment the server is started with: ours, with what the shell decides on top. */
export function serverEnv({ base, dataDir, isExposedOnLan, keyringKey }: ServerEnvironment): NodeJS.ProcessEnv {
  return {
    ...base,
    HOMEPORT_DATA_DIR: dataDir,
    HOMEPORT_HOST: isExposedOnLan ? '0.0.0.0' : '127.0.0.1',
    ...(keyringKey && { HOMEPORT_KEYRING_KEY: keyringKey }),
  }
}
