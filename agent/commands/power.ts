import { z } from 'zod'
import { reasonOf } from '../failure.ts'
import type { PowerAction, PowerSwitch } from '../power.ts'
import { command, completed, failed } from './command.ts'

const input = z.object({ delay: z.int().min(0).max(1440).default(0) })

const powerCommand = (name: PowerAction, power: PowerSwitch) =>
  command({
    name,
    input,
    endsAgent: true,
    async run({ delay }) {
      try {
        await power(name, delay)
      } catch (error) {
        return failed(reasonOf(error))
      }
      return completed(JSON.stringify({ message: `${name} in ${delay} minutes` }))
    },
  })

export const reboot = (power: PowerSwitch) => powerCommand('reboot', power)
export const shutdown = (power: PowerSwitch) => powerCommand('shutdown', power)
