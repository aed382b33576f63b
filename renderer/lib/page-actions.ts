import type { TablerIcon } from '@tabler/icons-react'
import { useEffect, useState, useSyncExternalStore } from 'react'

/** Something that can be done with what the open page shows. */
export interface PageAction {
  label: string
  /** What else people may call it. */
  alias?: string
  /** Opens what the page shows a link or a tab for: offered only for a text. */
  isLink?: boolean
  Icon: TablerIcon
  run: () => unknown
}

const offers = new Map<symbol, readonly PageAction[]>()
let all: readonly PageAction[] = []
const listeners = new Set<() => void>()

function changed(): void {
  all = [...offers.values()].flat()
  for (const listener of listeners) listener()
}

/** While mounted, a page offers these to the search dialog: only what the user may do. */
export function useOfferActions(actions: readonly PageAction[]): void {
  const [key] = useState(() => Symbol('actions of a page'))
  useEffect(() => {
    offers.set(key, actions)
    changed()
  })
  useEffect(
    () => () => {
      offers.delete(key)
      changed()
    },
    [key],
  )
}

/** What the open page offers. */
export const usePageActions = (): readonly PageAction[] => useSyncExternalStore(subscribe, () => all)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
