import { pointSize, type Size, type View } from './view.ts';

/** What draws points. `draw` is quick enough for every frame. */
export interface Painter {
  readonly kind: 'webgl' | 'canvas';
  points(points: Float32Array): void;
  colours(colours: Uint8Array): void;
  draw(view: View, size: Size, ratio: number): void;
  free(): void;
}

/** WebGL2 where there is one; otherwise a plain canvas, which is slower and shows the same. */
export function createPainter(canvas: HTMLCanvasElement, plain = false): Painter {
  const gl = plain ? null : canvas.getContext('webgl2', { antialias: false });
  return gl ? new GlPainter(gl) : new PlainPainter(canvas.getContext('2d')!);
}

const VERTEX = `#version 300 es
in vec2 position;
in vec4 colour;
uniform vec4 view; // middle of the map, and map units to clip space
uniform float size;
out vec4 tint;
void main() {
  gl_Position = vec4((position - view.xy) * view.zw, 0.0, 1.0);
  gl_PointSize = size;
  tint = colour;
}`;

/** A disc with a soft edge of one pixel. */
const FRAGMENT = `#version 300 es
precision highp float;
in vec4 tint;
uniform float size;
out vec4 shade;
void main() {
  float away = length(gl_PointCoord - 0.5) * size;
  float inside = clamp(size * 0.5 - away, 0.0, 1.0);
  if (inside == 0.0) discard;
  shade = vec4(tint.rgb, 1.0) * tint.a * inside;
}`;

class GlPainter implements Painter {
  readonly kind = 'webgl';
  readonly #gl: WebGL2RenderingContext;
  readonly #program: WebGLProgram;
  readonly #places: WebGLBuffer;
  readonly #tints: WebGLBuffer;
  #count = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#program = linked(gl);
    this.#places = gl.createBuffer();
    this.#tints = gl.createBuffer();
    this.#attribute('position', this.#places, 2, gl.FLOAT, false);
    this.#attribute('colour', this.#tints, 4, gl.UNSIGNED_BYTE, true);
    gl.enable(gl.BLEND);
    // Colours carry their opacity already: soft edges would be dark otherwise.
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  points(points: Float32Array): void {
    this.#count = points.length / 2;
    this.#fill(this.#places, points);
  }

  colours(colours: Uint8Array): void {
    this.#fill(this.#tints, colours);
  }

  draw(view: View, size: Size, ratio: number): void {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.#program);
    const place = (name: string) => gl.getUniformLocation(this.#program, name);
    gl.uniform4f(
      place('view'),
      view.x,
      view.y,
      (2 * view.scale) / size.width,
      (2 * view.scale) / size.height,
    );
    gl.uniform1f(place('size'), ratio * pointSize(this.#count, view, size));
    gl.drawArrays(gl.POINTS, 0, this.#count);
  }

  free(): void {
    this.#gl.deleteBuffer(this.#places);
    this.#gl.deleteBuffer(this.#tints);
    this.#gl.deleteProgram(this.#program);
  }

  #fill(buffer: WebGLBuffer, data: Float32Array | Uint8Array): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  }

  #attribute(name: string, buffer: WebGLBuffer, size: number, type: number, normalised: boolean): void {
    const gl = this.#gl;
    const at = gl.getAttribLocation(this.#program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, type, normalised, 0, 0);
  }
}

function linked(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [kind, text] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS))
    throw new Error(`The map cannot be drawn: ${gl.getProgramInfoLog(program)}`);
  return program;
}

class PlainPainter implements Painter {
  readonly kind = 'canvas';
  readonly #context: CanvasRenderingContext2D;
  #points = new Float32Array(0) as Float32Array;
  #colours = new Uint8Array(0) as Uint8Array;

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
  }

  points(points: Float32Array): void {
    this.#points = points;
  }

  colours(colours: Uint8Array): void {
    this.#colours = colours;
  }

  draw(view: View, size: Size, ratio: number): void {
    const context = this.#context;
    const { width, height } = context.canvas;
    const points = this.#points;
    const n = points.length / 2;
    const across = ratio * pointSize(n, view, size);
    const scale = ratio * view.scale;
    context.clearRect(0, 0, width, height);
    for (let i = 0; i < n; i++) {
      const x = width / 2 + (points[2 * i] - view.x) * scale;
      const y = height / 2 - (points[2 * i + 1] - view.y) * scale;
      if (x < 0 || y < 0 || x > width || y > height) continue;
      const [red, green, blue, alpha] = this.#colours.subarray(4 * i, 4 * i + 4);
      context.fillStyle = `rgb(${red} ${green} ${blue} / ${alpha / 255})`;
      context.fillRect(x - across / 2, y - across / 2, across, across);
    }
  }

  free(): void {}
}
