import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

/** The days of the server are in UTC. */
const format = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** As in “Nov 28”. */
export const dayName = (day: string): string => format.format(new Date(day))

interface Props<Value> {
  caption: string
  /** What is shown of each day. */
  label: string
  data: readonly { day: string; value: Value }[]
  words: (value: Value) => string
  /** The chart itself. */
  children: ReactNode
}

/** A chart of days, which screen readers get as a table. */
export function DayChart<Value>({ caption, label, data, words, children }: Props<Value>) {
  return (
    <>
      <VisuallyHidden component="div">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">{label}</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{words(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
      <div aria-hidden>{children}</div>
    </>
  )
}
