// Pictures of models: ready-made ones from /pictures, drawn ones where there is none, moving ones in the card beside the rail.
import {AmbientLight, DirectionalLight, HemisphereLight, NeutralToneMapping, Scene as Room, Vector3, WebGLRenderer} from 'three';
import {h} from '../base/dom';
import {readMotion, type Motion} from '../link/frame';
import {readScene, type Scene} from '../link/messages';
import {firstBall, firstView} from '../scene/anatomy';
import {dark, light} from '../scene/colours';
import {Curves} from '../scene/curves';
import {Eye} from '../scene/eye';
import {blend} from '../scene/history';
import {halfCanvas} from '../scene/lines';
import {MechanismView} from '../scene/mechanism';
import {Trails} from '../scene/trails';

const WIDTH = 240, HEIGHT = 180;

export class Thumbs {
  private renderer: WebGLRenderer | null = null;
  private playing = 0;
  constructor(private readonly isDark: () => boolean) {}

  picture(name: string): HTMLImageElement {
    const image = h('img', {
      src: `./pictures/${encodeURIComponent(name)}.webp`, alt: '', width: 96, height: 72, loading: 'lazy', decoding: 'async', draggable: 'false',
    });
    image.addEventListener('error', () => image.classList.add('none'), {once: true});
    return image;
  }

  /** A picture that begins to move when its motion is there. */
  live(name: string): HTMLElement {
    const holder = h('div', {class: 'live'}, this.picture(name));
    const mine = ++this.playing;
    void this.play(name, holder, mine).catch(() => undefined);
    return holder;
  }
  stop(): void {
    ++this.playing;
  }

  private async play(name: string, holder: HTMLElement, mine: number): Promise<void> {
    const [sceneAnswer, motionAnswer] = await Promise.all([
      patiently(`./scenes/${encodeURIComponent(name)}`, () => mine === this.playing),
      patiently(`./previews/${encodeURIComponent(name)}`, () => mine === this.playing),
    ]);
    if (!sceneAnswer.ok || !motionAnswer.ok || mine !== this.playing) return;
    const scene = readScene(await sceneAnswer.json());
    const motion = readMotion(await motionAnswer.arrayBuffer());
    if (mine !== this.playing || motion.bodies !== scene.bodies.length || motion.frames < 2) return;
    const renderer = this.ready();
    const film = new Film(scene, this.isDark());
    holder.replaceChildren(renderer.domElement);
    const start = performance.now();
    const draw = () => {
      if (mine !== this.playing || !holder.isConnected) return film.dispose();
      film.at(motion, (performance.now() - start) / 1000);
      film.render(renderer);
      requestAnimationFrame(draw);
    };
    draw();
  }

  /** A picture of a model at its start, as it is kept in /pictures. */
  async paint(name: string): Promise<string> {
    const answer = await patiently(`./scenes/${encodeURIComponent(name)}`, () => true);
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    const renderer = this.ready();
    const film = new Film(readScene(await answer.json()), false);
    renderer.setPixelRatio(2);
    film.render(renderer);
    const picture = renderer.domElement.toDataURL('image/webp', 0.9);
    film.dispose();
    return picture;
  }

  private ready(): WebGLRenderer {
    if (!this.renderer) {
      this.renderer = new WebGLRenderer({antialias: true, alpha: true});
      this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
      this.renderer.setSize(WIDTH, HEIGHT);
      this.renderer.toneMapping = NeutralToneMapping;
    }
    return this.renderer;
  }
}

/** The server makes scenes and previews when they are asked for, and says 503 meanwhile. */
async function patiently(url: string, wanted: () => boolean): Promise<Response> {
  for (let tries = 0; ; ++tries) {
    const answer = await fetch(url);
    if (answer.status !== 503 || tries > 60 || !wanted()) return answer;
    await new Promise((done) => setTimeout(done, Math.min(1000, 150 * (1 + tries))));
  }
}

/** A mechanism in front of a camera of its own. */
class Film {
  private readonly room = new Room();
  private readonly view: MechanismView;
  private readonly eye = new Eye();
  private readonly poses: Float32Array;
  private readonly curves: Curves;

  constructor(private readonly scene: Scene, isDark: boolean) {
    this.view = new MechanismView(scene, isDark ? dark : light);
    this.poses = new Float32Array(7 * scene.bodies.length);
    const lamp = new DirectionalLight(0xffffff, 2.2);
    lamp.position.set(-1, -2, 3);
    this.room.add(this.view.group, lamp, new HemisphereLight(0xffffff, 0x888888, 1.2), new AmbientLight(0xffffff, 0.4));
    this.eye.resize(WIDTH, HEIGHT);
    const {plane} = this.view.anatomy;
    const {direction, flat} = firstView(scene);
    const {centre, radius} = firstBall(scene, this.view.bounds());
    this.eye.setHome(centre, (flat ? 0.8 : 0.88) * radius, direction, flat);
    this.curves = new Curves(scene, this.view, isDark ? dark : light, new Trails());
    this.room.add(this.curves.group);
    this.curves.advance();
    if (plane) lamp.position.copy(plane.normal).addScaledVector(plane.up, 0.7).addScaledVector(plane.right, -0.5);
  }
  at(motion: Motion, seconds: number): void {
    const s = (seconds * motion.rate) % (motion.frames - 1);
    const i = Math.floor(s);
    const n = 7 * motion.bodies;
    blend(motion.poses.subarray(i * n, (i + 1) * n), motion.poses.subarray((i + 1) * n, (i + 2) * n), s - i, this.poses);
    this.view.setPoses(this.poses);
    this.curves.advance();
    const body = this.scene.camera?.follow;
    if (body !== null && body !== undefined) {
      const place = this.view.bodies[body]?.position;
      if (place) this.eye.follow(place.clone().sub(this.last ?? place));
      this.last = place?.clone() ?? null;
    }
  }
  private last: Vector3 | null = null;
  render(renderer: WebGLRenderer): void {
    // Lines know the size of the canvas that they are drawn on; the stage's is another.
    const {x, y} = halfCanvas;
    halfCanvas.set(WIDTH / 2, HEIGHT / 2);
    renderer.render(this.room, this.eye.camera);
    halfCanvas.set(x, y);
  }
  dispose(): void {
    this.curves.dispose();
    this.view.dispose();
  }
}
