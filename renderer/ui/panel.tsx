import { Group, Title } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './panel.module.css'

interface Props {
  title: string
  actions?: ReactNode
  /** The hash of links that lead to this panel of the page. */
  anchor?: string
  /** Id of the heading. */
  titleId?: string
  children: ReactNode
}

const settlingMs = 1000

/** A bordered area with a heading. */
export function Panel({ title, actions, anchor, titleId, children }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  const isTarget = useLocation({ select: ({ hash }) => anchor !== undefined && hash === anchor })
  useEffect(() => {
    if (!isTarget) return
    // After the page has taken the focus, as each new page does.
    const frame = requestAnimationFrame(() => panel.current?.focus({ preventScroll: true }))
    // The panels above it grow when their data arrives.
    const growth = new ResizeObserver(() => panel.current?.scrollIntoView())
    growth.observe(document.body)
    const end = setTimeout(() => growth.disconnect(), settlingMs)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(end)
      growth.disconnect()
    }
  }, [isTarget])
  return (
    <div
      ref={panel}
      id={anchor}
      className={classes.panel}
      data-target={isTarget || undefined}
      {...(anchor && { role: 'region', 'aria-label': title, tabIndex: -1 })}
    >
      <Group justify="space-between" mb="sm" gap="sm" mih={30}>
        <Title id={titleId} order={2} size="h5">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </div>
  )
}
