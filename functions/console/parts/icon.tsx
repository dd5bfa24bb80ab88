/** Line icons, drawn on a 16 × 16 grid. Decorative, since a word stands beside each. */
const PATHS = {
  overview: 'M2.5 2.5h4.5v5H2.5zM9 2.5h4.5v3H9zM9 7.5h4.5v6H9zM2.5 9.5H7v4H2.5z',
  sites: 'M2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z',
  people: 'M10.5 5.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM3 13.5c.4-3 2.5-4 5-4s4.6 1 5 4',
  log: 'M8 4.5V8l2.5 1.5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z',
  alerts: 'M4 11V7a4 4 0 0 1 8 0v4l1.5 1.5h-11zM6.5 14h3',
  docs: 'M8 4.5C6.5 3.3 4.5 3 2 3v9.5c2.5 0 4.5.3 6 1.5 1.5-1.2 3.5-1.5 6-1.5V3c-2.5 0-4.5.3-6 1.5zM8 4.5V14',
  search: 'M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM10.5 10.5l3 3',
  api: 'M5 5 2 8l3 3M11 5l3 3-3 3M9 3 7 13',
  integrations: 'M8.5 1.5 3 9h4l-.5 5.5L12.5 7H8z',
  content: 'M3.5 2h6l3 3v9h-9zM9.5 2v3h3M5.5 8h5M5.5 10.5h5',
  transfer: 'M5 13.5v-11M2.5 5 5 2.5 7.5 5M11 2.5v11M8.5 11l2.5 2.5 2.5-2.5',
  usage: 'M2.5 13.5h11M4 11V8M8 11V3.5M12 11V6',
  previous: 'M10 3.5 5.5 8l4.5 4.5',
  next: 'M6 3.5 10.5 8 6 12.5',
  more: 'M3 8h.8M7.6 8h.8M12.2 8h.8',
  settings:
    'M2 4.5h6M11.5 4.5H14M2 11.5h2.5M8 11.5h6M11.5 4.5a1.75 1.75 0 1 1-3.5 0 1.75 1.75 0 0 1 3.5 0zM8 11.5a1.75 1.75 0 1 1-3.5 0 1.75 1.75 0 0 1 3.5 0z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
