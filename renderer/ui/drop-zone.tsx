import { Text } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import { type DragEvent, type ReactNode, useState } from 'react'
import classes from './drop-zone.module.css'

interface Props {
  /** Accessible name. */
  label: string
  Icon: TablerIcon
  hint: string
  onDrop: (files: readonly File[]) => void
  /** The button that chooses files, for those who do not drop them. */
  children: ReactNode
}

/** A place to drop files on. */
export function DropZone({ label, Icon, hint, onDrop, children }: Props) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onDrop([...event.dataTransfer.files])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    <section
      className={classes.drop}
      aria-label={label}
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon size={34} stroke={1.3} aria-hidden />
      <Text size="sm">{hint}</Text>
      {children}
    </section>
  )
}
