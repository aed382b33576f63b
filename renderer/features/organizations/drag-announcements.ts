import type { Announcements, UniqueIdentifier } from '@dnd-kit/core'

/** What a screen reader says while a row is moved; `before` rows are on earlier pages. */
export function dragAnnouncements(rows: { id: string; name: string }[], before: number) {
  const name = (id: UniqueIdentifier) => rows.find((row) => row.id === id)?.name ?? ''
  const place = (id: UniqueIdentifier) => `number ${before + rows.findIndex((row) => row.id === id) + 1}`
  const announcements: Announcements = {
    // Comes at the same moment as the first of the next, which takes its place.
    onDragStart: () => undefined,
    onDragOver: ({ active, over }) => {
      if (!over) return undefined
      if (over.id === active.id) return `${name(active.id)} is picked up. It is ${place(active.id)}.`
      return `${name(active.id)} would be ${place(over.id)}.`
    },
    onDragEnd: ({ active, over }) => (over ? `${name(active.id)} is put down as ${place(over.id)}.` : undefined),
    onDragCancel: ({ active }) => `${name(active.id)} stays ${place(active.id)}.`,
  }
  return {
    announcements,
    screenReaderInstructions: {
      draggable:
        'Alt with the up or down arrow moves the row by one. Space picks it up and puts it down, the arrows move it then, Escape leaves it where it was.',
    },
  }
}
