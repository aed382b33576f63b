import { z } from 'zod'
import { keysOf } from '../../shared/objects.ts'
import { defaultLimits, type LimitOverrides } from '../limits.ts'
import { readVariables, usesPerSeconds, whole } from './variables.ts'

const { login_lockout, api_key_probe } = defaultLimits

/** The names the public API has for two limits. */
const variables = z.object({
  LOGIN_ACCOUNT_LOCKOUT_MAX: whole(login_lockout.max, 0, 1000),
  LOGIN_ACCOUNT_LOCKOUT_WINDOW_SECONDS: whole(login_lockout.windowSeconds, 1, 86_400),
  API_KEY_PRELOOKUP_RATE_LIMIT: whole(api_key_probe.max, 1, 1_000_000),
  API_KEY_PRELOOKUP_RATE_WINDOW_SECONDS: whole(api_key_probe.windowSeconds, 1, 86_400),
})

const names = keysOf(defaultLimits)
const variableOf = (name: string) => `HOMEPORT_LIMIT_${name.toUpperCase()}`
const limitVariables = z.object(Object.fromEntries(names.map((name) => [variableOf(name), usesPerSeconds])))

/** `HOMEPORT_LIMIT_LOGIN_IP=100/60` allows 100 in 60 seconds; `0/1` switches a limit off. */
export function readLimitOverrides(env: NodeJS.ProcessEnv): LimitOverrides {
  const read = readVariables(variables, env)
  const lockout = {
    ...login_lockout,
    max: read.LOGIN_ACCOUNT_LOCKOUT_MAX,
    windowSeconds: read.LOGIN_ACCOUNT_LOCKOUT_WINDOW_SECONDS,
  }
  const overrides: LimitOverrides = {
    login_lockout: lockout,
    login_lockout_browser: lockout,
    api_key_probe: {
      max: read.API_KEY_PRELOOKUP_RATE_LIMIT,
      windowSeconds: read.API_KEY_PRELOOKUP_RATE_WINDOW_SECONDS,
    },
  }
  const limits = readVariables(limitVariables, env)
  for (const name of names) {
    const limit = limits[variableOf(name)]
    if (limit) overrides[name] = { ...defaultLimits[name], ...limit }
  }
  return overrides
}
