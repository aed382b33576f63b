import { IconChevronRight } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import classes from './link-rows.module.css'

/** A list whose rows are links. */
export const LinkRows = ({ children, isDense }: { children: ReactNode; isDense?: boolean }) => (
  <ul className={classes.list} data-dense={isDense || undefined}>
    {children}
  </ul>
)

interface RowProps extends Omit<ComponentProps<'a'>, 'children'> {
  icon?: ReactNode
  text: ReactNode
  note?: ReactNode
  /** At the end of the row. */
  aside?: ReactNode
}

export const LinkRow = createLink(({ icon, text, note, aside, ...link }: RowProps) => (
  <li>
    <a {...link} className={classes.row}>
      {icon}
      <span className={classes.words}>
        <span className={classes.text}>{text}</span>
        {note && <span className={classes.note}>{note}</span>}
      </span>
      {aside && <span className={classes.note}>{aside}</span>}
      <IconChevronRight size={16} stroke={1.7} aria-hidden className={classes.chevron} />
    </a>
  </li>
))
