import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useEffectEvent } from 'react'
import { z } from 'zod'
import { useMe } from '../../lib/session.ts'

const maxKept = 8

const opened = z.object({
  kind: z.enum(['device', 'organization', 'site', 'person', 'contact']),
  id: z.uuid(),
  name: z.string().max(500),
  /** Of a site or a contact. */
  orgId: z.uuid().optional(),
  /** Of a person whom a platform administrator has opened. */
  partnerId: z.uuid().optional(),
})
/** Something with a page of its own, or a place on one. */
export type Opened = z.infer<typeof opened>

/** What the user opened last in this browser and company, newest first. */
export function useRecentlyOpened() {
  const { id, partnerId } = useMe()
  const [recent, setRecent] = useLocalStorage<Opened[]>({
    key: `homeport.opened.${id}.${partnerId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: parsed,
  })
  const remember = (item: Opened) =>
    setRecent((before) => [item, ...before.filter((one) => one.id !== item.id)].slice(0, maxKept))
  return { recent, remember }
}

function parsed(text: string | undefined): Opened[] {
  try {
    return z.array(opened).parse(JSON.parse(text ?? '[]'))
  } catch {
    return []
  }
}

/** For the page of something: keeps it among what was opened last, by the name it has now. */
export function useRememberOpened(item: Opened): void {
  const { recent, remember } = useRecentlyOpened()
  const rememberNow = useEffectEvent(() => {
    const [last] = recent
    if (last?.id !== item.id || last.name !== item.name) remember(item)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each name of each thing
  useEffect(() => rememberNow(), [item.id, item.name])
}
