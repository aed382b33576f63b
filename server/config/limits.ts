import { defaultLimits, type LimitName, type LimitOverrides } from '../limits.ts'
import { readEnv, readNumber } from './env.ts'

/** `HOMEPORT_LIMIT_LOGIN_IP=100/60` allows 100 in 60 seconds; `0/1` switches a limit off. */
export function readLimitOverrides(env: NodeJS.ProcessEnv): LimitOverrides {
  const { login_lockout, api_key_probe } = defaultLimits
  const lockout = {
    ...login_lockout,
    max: readNumber(env, 'LOGIN_ACCOUNT_LOCKOUT_MAX', login_lockout.max, 0, 1000),
    windowSeconds: readNumber(env, 'LOGIN_ACCOUNT_LOCKOUT_WINDOW_SECONDS', login_lockout.windowSeconds, 1, 86_400),
  }
  const overrides: LimitOverrides = {
    // The names the public API has for these.
    login_lockout: lockout,
    login_lockout_browser: lockout,
    api_key_probe: {
      max: readNumber(env, 'API_KEY_PRELOOKUP_RATE_LIMIT', api_key_probe.max, 1, 1_000_000),
      windowSeconds: readNumber(env, 'API_KEY_PRELOOKUP_RATE_WINDOW_SECONDS', api_key_probe.windowSeconds, 1, 86_400),
    },
  }
  for (const name of Object.keys(defaultLimits) as LimitName[]) {
    const variable = `HOMEPORT_LIMIT_${name.toUpperCase()}`
    const text = readEnv(env, variable)
    if (text === undefined) continue
    const [, max, seconds] = /^(\d{1,7})\/(\d{1,6})$/.exec(text) ?? []
    if (!max || !seconds || Number(seconds) < 1)
      throw new Error(`${variable} must look like 100/60 (uses/seconds); it is "${text}"`)
    overrides[name] = { ...defaultLimits[name], max: Number(max), windowSeconds: Number(seconds) }
  }
  return overrides
}
