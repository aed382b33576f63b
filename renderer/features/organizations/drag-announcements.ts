import type { Announcements, UniqueIdentifier } from '@dnd-kit/core'

/** Screen reader announcements while a row is dragged; `before` is the number of rows on earlier pages. */
export function dragAnnouncements(rows: { id: string; name: string }[], before: number) {
  const name = (id: UniqueIdentifier) => rows.find((row) => row.id === id)?.name ?? ''
  const positionText = (id: UniqueIdentifier) => `number ${before + rows.findIndex((row) => row.id === id) + 1}`
  const announcements: Announcements = {
    // The first `onDragOver` follows at once and would cut it off.
    onDragStart: () => undefined,
    onDragOver: ({ active, over }) => {
      if (!over) return undefined
      if (over.id === active.id) return `${name(active.id)} picked up. It’s ${positionText(active.id)}.`
      return `${name(active.id)} would be ${positionText(over.id)}.`
    },
    onDragEnd: ({ active, over }) => (over ? `${name(active.id)} dropped as ${positionText(over.id)}.` : undefined),
    onDragCancel: ({ active }) => `${name(active.id)} stays ${positionText(active.id)}.`,
  }
  return {
    announcements,
    screenReaderInstructions: {
      draggable:
        'Alt with the up or down arrow moves the row by one. Space picks it up and drops it, the arrows move it in between, and Escape leaves it where it was.',
    },
  }
}
