import { z } from 'zod'
import type { Inventory } from '../inventory.ts'
import { command, completed, failed } from './command.ts'

export const refreshInventory = (inventory: Inventory) =>
  command({
    name: 'refresh_inventory',
    input: z.object({}),
    async run() {
      const { sent, problems } = await inventory.refresh()
      return problems.length > 0 ? failed(problems.join('; ')) : completed(JSON.stringify(sent))
    },
  })
